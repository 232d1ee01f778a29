/** Amounts are cents, as the server counts them. */

/** Cents as people read them: 12.50, or 1,250 where there are no odd cents. */
export function money(cents: number): string {
  const whole = cents % 100 === 0;
  return (cents / 100).toLocaleString("en-US", { minimumFractionDigits: whole ? 0 : 2, maximumFractionDigits: 2 });
}

/** What was won or lost, with its sign. */
export function net(cents: number): string {
  return cents > 0 ? `+${money(cents)}` : cents < 0 ? `−${money(-cents)}` : "0";
}

/** A share of one as a percentage. */
export function percent(share: number, digits = 3): string {
  return `${(share * 100).toFixed(digits).replace("-", "−")} %`;
}

/** The most that anybody has, pays or wins: as the service takes it, in cents. */
export const LARGEST_AMOUNT = 100_000_000_000;

export const CHIPS = [100, 500, 2500, 10000, 50000, 100000] as const;

/** An amount as a stack of chips, the largest first; cents that no chip stands for are left out. */
export function stack(cents: number): number[] {
  const chips: number[] = [];
  let rest = cents;
  for (const chip of [...CHIPS].reverse()) {
    while (rest >= chip) {
      chips.push(chip);
      rest -= chip;
    }
  }
  return chips;
}
