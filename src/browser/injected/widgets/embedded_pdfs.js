// PDFs within pages. Chromium shows a placeholder for them, so they are read as files.

const PDF_TYPE = /^application\/(?:x-)?pdf\b/i;
/** Schemes of addresses from which a file can be saved without running anything. */
const SAVED_SCHEME = /^(?:https?|blob|data):$/;

/** Returns the link in the page that Chromium shows in a frame in place of a PDF, or null. */
function pdfPlaceholder(doc) {
  const body = bodyOf(doc);
  if (parseAddress(doc.URL, undefined)?.protocol !== "data:" || body === null || attr(body, "class") !== "pdf") return null;
  const links = queryAll(body, "a[href],button,input");
  return links.length === 1 && localName(links[0]) === "a" && query(body, "#main-message h1") !== null ? links[0] : null;
}

/** Returns the address of the PDF that an element shows, or null. A frame that shows nothing else has one without it. */
function pdfAddress(el, tag) {
  if (tag === "a" && pdfPlaceholder(ownerDocument(el)) === el) return el.href;
  if (tag !== "embed" && tag !== "object") return null;
  const source = attr(el, tag === "embed" ? "src" : "data") ?? "";
  const doc = ownerDocument(el);
  const address = parseAddress(source === "" || source === "about:blank" ? doc.URL : source, doc.baseURI);
  if (address === null || !SAVED_SCHEME.test(address.protocol)) return null;
  const type = attr(el, "type") ?? "";
  const isPdf = type === "" ? /\.pdf$/i.test(address.pathname) || address.href.startsWith("data:application/pdf") : PDF_TYPE.test(type);
  return isPdf ? address.href : null;
}

function parseAddress(address, base) {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

const pdfName = (address) => (/^(?:blob|data):/.test(address) ? "" : fileName(address)) || "document.pdf";

/** Tells whether a link with `download` saves the address. Elsewhere the attribute is ignored, and the link would open it. */
function isOwnAddress(address) {
  const { protocol, origin } = new URL(address);
  return protocol === "data:" || origin === self.origin || (location.protocol === "data:" && origin === location.ancestorOrigins[0]);
}

/** Saves the PDF that an element shows, as a press on its placeholder does. Returns false if it shows none. */
function savePdf(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const address = pdfAddress(el, localName(el));
  if (address === null) return false;
  if (!isOwnAddress(address)) {
    return failed("other_site", `the PDF is on another site and cannot be saved from this page; open its address with navigate: ${cut(address, 2000)}`);
  }
  // A placeholder is not of the PDF's site; its link opens the PDF, which is saved then.
  if (localName(el) === "a") return (el.click(), true);
  const link = document.createElement("a");
  link.href = address;
  link.download = pdfName(address);
  link.click();
  return true;
}
