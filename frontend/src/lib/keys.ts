/** Keys for what is drawn as a button and is none to the browser. */

/** Does something when such a button is pressed by key, and nothing else happens then. */
export function onPress(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
}
