// Closed shadow roots. No script can see one from outside, but Chromium tells Rust, and Rust hands it over. Asked about
// are only elements that could be hosts: custom ones, and others that take up room though nothing is in them.

const CAN_BE_HOST = words("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");
const MOST_HOSTS = 40;
const LEAST_HOST = 8;

/** elements that were asked about */
const askedAbout = new WeakSet();
let suspects = [];

const mayAsk = (el) => suspects.length < MOST_HOSTS && !askedAbout.has(el);

/** A custom element may have a closed root whatever is seen in it. */
function suspectCustom(el) {
  if (mayAsk(el) && shadowRootOf(el) === null && matches(el, ":defined")) suspects.push(el);
}

/** An element in which nothing was found, though it takes up room. */
function suspectEmpty(el) {
  if (!mayAsk(el)) return;
  const first = firstElementChild(el);
  if (first !== null && isShown(first)) return;
  const box = rectOf(el);
  if (box.width >= LEAST_HOST && box.height >= LEAST_HOST) suspects.push(el);
}

/** The elements to ask about, once each. */
function takeSuspects() {
  const taken = suspects;
  suspects = [];
  for (const el of taken) askedAbout.add(el);
  return taken;
}

/** A closed root that Rust found: it is walked from now on. */
function adopt(root) {
  closedRoots.set(hostOf(root), root);
  someClosed = true;
  return true;
}
