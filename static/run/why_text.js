// Why a run stands as it does, for whoever sees its status beside it: the reason without
// the status said once more, and what would move it.

import { statusWord } from '../shared/text/format.js';

/** `denied`: the rule that refused last, or null. -> { text, moves: [{ who, how, link }] } */
export function reasonOf({ status, because = '', moves = [] }, t, denied = null, declined = false) {
  const heads = t.list('why.heads');
  let text = because.trim();
  for (let head; (head = heads.find((one) => text.startsWith(`${one}:`)));) text = text.slice(head.length + 1).trim();
  if ([statusWord(status, t), ...t.list('why.plain')].some((word) => text === `${word}.` || text === word)) text = '';
  if (declined && status === 'cancelled') text = ''; // who has just said no need not be told that somebody did
  // Where the rule itself is not known its reason names the setting.
  const rule = denied ?? (status === 'denied' && because.includes('gate.private_hosts') ? 'deny-private' : null);
  const own = rule && t.has(`denied.${rule}`) ? { who: 'person', how: t(`denied.${rule}`), link: null } : null;
  // Where one setting lets it through, other ways lead nowhere.
  const ways = moves.filter(({ how, link }) => how && !(own && link === RULES));
  return { text: text && text[0].toUpperCase() + text.slice(1), moves: own ? [...ways, own] : ways };
}

const RULES = '/#/permissions';
