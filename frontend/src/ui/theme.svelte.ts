/** Light or dark: as the system has it, until the user chooses. */

type Theme = "light" | "dark";
const KEY = "feltlab-theme";

function wished(): Theme {
  const kept = localStorage.getItem(KEY);
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const theme = $state<{ now: Theme }>({ now: wished() });

function show(): void {
  document.documentElement.dataset["theme"] = theme.now;
}

/** The other one, from now on. */
export function switchTheme(): void {
  theme.now = theme.now === "light" ? "dark" : "light";
  localStorage.setItem(KEY, theme.now);
  show();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  theme.now = wished();
  show();
});
show();
