/** The service: questions, changes, and problems as the server words them. */

export interface Problem {
  status: number;
  kind: string; // its name, as `refused`
  detail: string;
  errors: { line?: number | null; at?: string; what: string }[];
}

/** An answer that is not what was asked for; `message` is a sentence for a person. */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

let csrf = "";

/** The token that goes with every change, from `/me`. */
export function useToken(token: string): void {
  csrf = token;
}

let renew = (): Promise<boolean> => Promise.resolve(false);

/** How to get another token where another tab has begun a session; false if what was asked for is not to be sent again. */
export function renewWith(how: () => Promise<boolean>): void {
  renew = how;
}

/** A name for a change: sent again with it, the change is not done again. */
export function newKey(): string {
  return crypto.randomUUID();
}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return (text ? JSON.parse(text) : undefined) as T;
  let said: Partial<Problem & { type: string }> = {};
  try {
    said = JSON.parse(text) as typeof said;
  } catch {
    // not the service itself: something between
  }
  throw new Refusal({
    status: response.status,
    kind: said.type?.split(":").at(-1) ?? "",
    detail: said.detail ?? `the server answered ${response.status}`,
    errors: said.errors ?? [],
  });
}

/** Ask for something. */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answer<T>(await reach(path, signal ? { signal } : {}));
}

/** Ask a question that is too long for an address. */
export async function question<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return send<T>(path, "POST", body, signal ? { signal } : {});
}

/** Change something. A change that gets no answer is sent again with the same key, so it is done once. */
export async function change<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  const key = newKey();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send<T>(path, method, body, {}, key);
    } catch (error) {
      const status = error instanceof Refusal ? error.problem.status : 0;
      if (![0, 503].includes(status) || attempt >= 6) throw error;
    }
    await new Promise((wake) => setTimeout(wake, 250 * 2 ** Math.min(attempt, 3)));
  }
}

/** End something that can be ended only once, so that no key is needed. */
export async function remove(path: string): Promise<void> {
  await send(path, "DELETE", undefined);
}

/** Put something in the place of what is there, so that no key is needed. */
export async function put<T>(path: string, body: unknown): Promise<T> {
  return send<T>(path, "PUT", body);
}

/** Send a change with the token that is known; where it is another session's, once more with that of the present one. */
async function send<T>(path: string, method: string, body: unknown, more: RequestInit = {}, key = ""): Promise<T> {
  const once = async (): Promise<T> => {
    const headers: Record<string, string> = { "X-CSRF-Token": csrf };
    if (key) headers["Idempotency-Key"] = key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return answer<T>(
      await reach(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...more }),
    );
  };
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof Refusal) || error.problem.kind !== "csrf") throw error;
    if (await renew()) return once();
    throw new Refusal({
      ...error.problem,
      detail: "somebody else is logged in here by now, in another tab; look again before you do that",
    });
  }
}

/** How many milliseconds this machine's clock is ahead of the server's, as far as that can be felt. */
export const clock = { ahead: 0 };
const FELT = 2500; // ms: the server says its time in whole seconds

async function reach(path: string, sent: RequestInit): Promise<Response> {
  try {
    const response = await fetch(`/api/v1${path}`, { credentials: "same-origin", ...sent });
    const ahead = Date.now() - Date.parse(response.headers.get("date") ?? "");
    clock.ahead = Math.abs(ahead) > FELT ? ahead : 0;
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal({
      status: 0,
      kind: "",
      detail: "the server cannot be reached; trying again may help",
      errors: [],
    });
  }
}
