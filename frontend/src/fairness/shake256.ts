/** SHAKE256 (FIPS 202), which browsers do not have: for the seeds of a shoe. Short texts only, so plainness goes before speed. */

const MASK = (1n << 64n) - 1n;
const RATE = 136; // bytes of a block

function rotate(lane: bigint, by: number): bigint {
  const count = BigInt(by % 64);
  return ((lane << count) | (lane >> (64n - count))) & MASK;
}

/** The constants of the 24 rounds come from a shift register, as the standard has it. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) constant |= 1n << BigInt((1 << bit) - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

const CONSTANTS = roundConstants();

/** Keccak-f[1600] on 25 lanes; lane (x, y) is at x + 5 y. */
function permute(state: bigint[]): bigint[] {
  let lanes = state;
  const at = (from: bigint[], x: number, y: number): bigint => from[(x % 5) + 5 * (y % 5)] ?? 0n;
  for (const constant of CONSTANTS) {
    const column = [0, 1, 2, 3, 4].map(
      (x) => at(lanes, x, 0) ^ at(lanes, x, 1) ^ at(lanes, x, 2) ^ at(lanes, x, 3) ^ at(lanes, x, 4),
    );
    const mixed = lanes.map(
      (lane, place) => lane ^ (column[(place + 4) % 5] ?? 0n) ^ rotate(column[((place % 5) + 1) % 5] ?? 0n, 1),
    );
    const moved = [...mixed];
    let [x, y] = [1, 0];
    let carried = at(mixed, 1, 0);
    for (let step = 0; step < 24; step += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = at(mixed, x, y);
      moved[x + 5 * y] = rotate(carried, ((step + 1) * (step + 2)) / 2);
      carried = next;
    }
    lanes = moved.map((lane, place) => {
      const row = Math.floor(place / 5);
      return lane ^ (~at(moved, (place % 5) + 1, row) & MASK & at(moved, (place % 5) + 2, row));
    });
    lanes[0] = (lanes[0] ?? 0n) ^ constant;
  }
  return lanes;
}

/** So many bytes of SHAKE256. */
export function shake256(message: Uint8Array, length: number): Uint8Array {
  const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
  padded.set(message);
  padded[message.length] = (padded[message.length] ?? 0) | 0x1f;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  let state = Array.from({ length: 25 }, () => 0n);
  for (let start = 0; start < padded.length; start += RATE) {
    const block = new DataView(padded.buffer, start, RATE);
    state = permute(state.map((lane, place) => (place < RATE / 8 ? lane ^ block.getBigUint64(place * 8, true) : lane)));
  }
  const out = new Uint8Array(Math.ceil(length / RATE) * RATE);
  for (let start = 0; start < out.length; start += RATE) {
    if (start > 0) state = permute(state);
    const block = new DataView(out.buffer, start, RATE);
    for (let place = 0; place < RATE / 8; place += 1) block.setBigUint64(place * 8, state[place] ?? 0n, true);
  }
  return out.slice(0, length);
}
