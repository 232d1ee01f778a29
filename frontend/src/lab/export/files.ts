/** Files for the user: text, and charts as they look now. */

export function save(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(
    content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` }),
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "font-variant-numeric",
  "paint-order",
];

/** The drawing by itself: with the colours and letters that the page gives it, on the page's ground; `of` says what it is of. */
export function standalone(svg: SVGSVGElement, of = ""): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, at) => {
    const look = getComputedStyle(element);
    const target = to[at];
    for (const name of KEPT) target?.setAttribute(name, look.getPropertyValue(name));
    target?.removeAttribute("class");
    target?.removeAttribute("style");
  });
  copy.querySelectorAll("[data-only=screen]").forEach((element) => element.remove());
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute(
    "fill",
    getComputedStyle(document.documentElement).getPropertyValue("--raised").trim() || "white",
  );
  copy.prepend(ground);
  if (of) {
    const said = document.createElementNS("http://www.w3.org/2000/svg", "desc");
    said.textContent = of;
    copy.prepend(said);
  }
  return new XMLSerializer().serializeToString(copy);
}

/** The drawing as a picture of twice its size. */
export async function picture(svg: SVGSVGElement): Promise<Blob> {
  const { width, height } = svg.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * 2);
  canvas.height = Math.round(height * 2);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((found, failed) => {
    canvas.toBlob((blob) => (blob ? found(blob) : failed(new Error("the picture could not be made"))), "image/png");
  });
}
