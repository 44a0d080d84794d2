// Shows each page in a frame of its width and writes down where each text is.

const TOLERANCE = 1; // px

/// The boxes of all texts: a text in several lines has several.
function textBoxes(document) {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (!node.data.trim() || node.parentElement.closest("title")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 0 && box.height > 0) boxes.push({ node, box });
  }
  return boxes;
}

const name = ({ node, box }) =>
  `"${node.data.trim().slice(0, 60)}" at ${Math.round(box.x)}, ${Math.round(box.y)}`;

function findOverlaps(boxes) {
  const problems = [];
  boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other) => {
    const [a, b] = [one.box, other.box];
    if (one.node !== other.node &&
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > TOLERANCE &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > TOLERANCE)
      problems.push(`${name(one)} overlaps ${name(other)}`);
  }));
  return problems;
}

function findClipped(boxes, view) {
  const isInside = (box, left, top, right, bottom) =>
    box.left >= left - TOLERANCE && box.right <= right + TOLERANCE &&
    box.top >= top - TOLERANCE && box.bottom <= bottom + TOLERANCE;
  const problems = [];
  for (const one of boxes) {
    const all = view.document.documentElement;
    if (!isInside(one.box, 0, 0, view.innerWidth, all.scrollHeight))
      problems.push(`${name(one)} is outside of the page`);
    for (let over = one.node.parentElement; over !== all; over = over.parentElement) {
      const around = over.getBoundingClientRect();
      if (view.getComputedStyle(over).overflowX !== "visible" &&
          !isInside(one.box, around.left, around.top, around.right, around.bottom))
        problems.push(`${name(one)} is cut off by <${over.localName}>`);
    }
  }
  return problems;
}

/// Every number, where --json has it and, of a mark, how large it is.
function readFigures(document) {
  return [...document.querySelectorAll("[data-json]")].map((element) => {
    const box = element.getBoundingClientRect();
    const row = element.closest(".copy");
    let line = row;
    while (line && !line.id) line = line.previousElementSibling;
    return {
      path: element.dataset.json,
      text: element.dataset.value ?? element.textContent,
      part: element.closest("section")?.querySelector("h2").textContent ?? "",
      mark: element.localName, width: box.width, height: box.height,
      line: line && Number(line.id.split("-").pop()),
    };
  });
}

/// The lines of the program, which is the first listing, with their devices.
function readBadges(document) {
  const badges = document.querySelector(".source")?.querySelectorAll("tr[id] svg") ?? [];
  return [...badges].map((badge) => [Number(badge.closest("tr").id.split("-").pop()),
                                     badge.getAttribute("aria-label")]);
}

async function measure(pages) {
  const results = [];
  for (const { html, width } of pages) {
    const frame = document.createElement("iframe");
    frame.style = `width: ${width}px; height: 900px; border: 0`;
    frame.srcdoc = html;
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    document.body.append(frame);
    await loaded;
    const boxes = textBoxes(frame.contentDocument);
    results.push({
      texts: boxes.length,
      problems: [...findOverlaps(boxes), ...findClipped(boxes, frame.contentWindow)],
      figures: readFigures(frame.contentDocument),
      badges: readBadges(frame.contentDocument),
    });
    frame.remove();
  }
  return results;
}
