// Markdown syntax that needs more than a prefix: code, quotations, numbered items.

/** Quotes inline code, with two backticks if it contains one. */
const quoteCode = (text) => (text === "" ? "" : text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** Writes a code block with its lines unchanged. */
function writeCode(el, out) {
  const text = textContent(el).replace(/\s+$/, "").replace(/^\n+/, "");
  if (text === "") return;
  const fence = text.includes("```") ? "~~~~" : "```";
  out.newline(2);
  out.mark(`${fence}\n${text}\n${fence}`);
  out.lines = 2;
}

function writeQuote(out, inside) {
  const part = new Writer(out.top);
  part.nodes = out.nodes;
  inside(part);
  out.nodes = part.nodes;
  if (part.text === "") return;
  out.newline(2);
  out.mark(part.text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n"));
  out.lines = 2;
}

function itemMark(out) {
  const at = out.lists.length - 1;
  const indent = "  ".repeat(Math.max(0, at));
  return at >= 0 && out.lists[at] > 0 ? `${indent}${out.lists[at]++}. ` : `${indent}- `;
}
