// Shares of time of many spans, by name, the longest first.

/** Returns [{ name, n, ms, part (of the longest), slowest }]. */
export function sharesOf(spans, now) {
  const found = new Map();
  for (const span of spans) {
    const ms = (span.to ?? now) - span.from;
    const share = found.get(span.name) ?? { name: span.name, n: 0, ms: 0, longest: -1, slowest: null };
    const isSlowest = ms > share.longest;
    found.set(span.name, { ...share, n: share.n + 1, ms: share.ms + ms, longest: isSlowest ? ms : share.longest, slowest: isSlowest ? span : share.slowest });
  }
  const shares = [...found.values()].sort((one, other) => other.ms - one.ms);
  const most = Math.max(1, ...shares.map(({ ms }) => ms));
  return shares.map((share) => ({ ...share, part: share.ms / most }));
}
