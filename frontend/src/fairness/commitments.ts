/** Commitments that this browser saw while their shoes were in use: later, the server cannot put others in their place. */

const key = (shoe: string): string => `feltlab-shoe-${shoe}`;

/** Keep the first commitment that was seen of a shoe. */
export function keepCommitment(shoe: string, commitment: string): void {
  if (seenCommitment(shoe) === null) sessionStorage.setItem(key(shoe), commitment);
}

export function seenCommitment(shoe: string): string | null {
  return sessionStorage.getItem(key(shoe));
}
