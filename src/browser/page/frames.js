// Frames that this script cannot read: each has a walker of its own. What lies around one is told here, in the
// coordinates of this walker's own viewport.

/** Where a frame's own viewport begins. */
function placeOfFrame(eid) {
  const el = nodeOf(eid);
  if (el === null) return deadEid(eid);
  const outer = originOf(el);
  const at = frameOrigin(el);
  return { x: outer.x + at.x, y: outer.y + at.y };
}
