/** Keys: for what is drawn as a button and is none to the browser, and for what is written into. */

/** Does something when such a button is pressed by key, and nothing else happens then. */
export function onPress(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
}

const PRESSED = ["button", "checkbox", "color", "file", "image", "radio", "reset", "submit"];

/** Do letters that are pressed here belong to the field that has the focus? A box that is ticked takes none. */
export function takesKeys(target: Element | null): boolean {
  const field = target?.closest("input, textarea, select, dialog, [contenteditable]");
  return field instanceof HTMLInputElement ? !PRESSED.includes(field.type) : Boolean(field);
}

const TICKED = ["checkbox", "radio"];

/** Does the enter or the space key do something here already? Enter does nothing to a box that is ticked. */
export function isPressed(target: Element | null, key: string): boolean {
  const found = target?.closest("button, a, summary, input, [role=button]");
  return Boolean(found) && !(key === "Enter" && found instanceof HTMLInputElement && TICKED.includes(found.type));
}
