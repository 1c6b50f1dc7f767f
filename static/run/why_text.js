// Reason for a run's status, worded to stand beside the status without repeating it, and the moves that would
// change it.

import { statusWord } from '../shared/text/format.js';

/** `denied`: id of the last rule that refused, or null. Returns { text, moves: [{ who, how, link }] }. */
export function reasonOf({ status, because = '', moves = [] }, t, denied = null, declined = false) {
  const heads = t.list('why.heads');
  let text = because.trim();
  for (let head; (head = heads.find((one) => text.startsWith(`${one}:`)));) text = text.slice(head.length + 1).trim();
  if ([statusWord(status, t), ...t.list('why.plain')].some((word) => text === `${word}.` || text === word)) text = '';
  if (declined && status === 'cancelled') text = ''; // the person who declined knows it
  // If the rule is not known, its reason names the setting.
  const rule = denied ?? (status === 'denied' && because.includes('gate.private_hosts') ? 'deny-private' : null);
  const own = rule && t.has(`denied.${rule}`) ? { who: 'person', how: t(`denied.${rule}`), link: null } : null;
  // If a single setting allows it, other moves are of no use.
  const ways = moves.filter(({ how, link }) => how && !(own && link === RULES));
  return { text: text && text[0].toUpperCase() + text.slice(1), moves: own ? [...ways, own] : ways };
}

const RULES = '/#/permissions';
