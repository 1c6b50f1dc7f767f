// State of the page, from facts: address, last picture, pointer, and target of the running action. Live
// pictures are binary frames, not facts.

export const emptyLive = Object.freeze({
  url: null,
  title: null,
  requestedUrl: null, // last address to be opened
  broken: false, // the address did not open
  tab: null,
  file: null, // { runId, name, size, url }: what was opened is a file, which the browser does not show
  isHeldByPerson: false, // a person has held the page since the last observation, so its address is unknown
  picture: null,
  target: null, // { box: [x, y, w, h] in 0..1, name, role }
  pointer: null, // [x, y] in 0..1
  doing: null, // { action, params, target }
  shots: Object.freeze([]), // every stored picture: { seq, url, title, picture, at }
});

/** Reports whether an address is that of Chromium's error page. */
export const isBroken = (url) => /^chrome-error:/.test(url ?? '');

/** Reports whether the transcript has a failed action for the broken address. */
export function hasNavigationError(entries, runId) {
  const last = entries.findLast((e) => (e.kind === 'action' || e.kind === 'observation') && e.runId === runId);
  return last?.state === 'failed' || last?.broken === true;
}

/** Reports whether no page has been opened yet. */
export const isBlank = (url) => !url || url === 'about:blank';

export function reduceLive(live, fact) {
  if (fact.type === 'run_ended' || (fact.type === 'status' && fact.status === 'paused')) return { ...live, target: null, doing: null };
  // The target of a question stays outlined while the question is open.
  if (fact.type === 'agent_question') return { ...live, target: usableTarget(fact.payload?.target) };
  if (fact.type === 'question_resolved') return { ...live, target: null };
  if (fact.type !== 'event') return live;
  const data = fact.data ?? {};
  switch (fact.event) {
    case 'observation':
      return observed(live, fact, data);
    case 'action_started': {
      const target = usableTarget(data.target);
      return {
        ...live,
        target,
        pointer: target ? centre(target.box) : live.pointer,
        requestedUrl: data.action === 'navigate' ? data.params?.url ?? null : null,
        doing: { action: data.action, params: data.params ?? {}, target: data.target ?? null },
      };
    }
    case 'action_finished':
      return { ...live, target: null, doing: null, file: openedFile(live, fact, data) ?? live.file };
    case 'lease':
      return data.holder ? { ...live, url: null, title: null, file: null, isHeldByPerson: true } : live;
    default:
      return live;
  }
}

function observed(live, fact, data) {
  if (isBlank(data.url)) return { ...live, target: null };
  const broken = isBroken(data.url);
  const url = broken ? live.requestedUrl || data.title || null : data.url ?? live.url;
  const seen = { ...live, url, broken, title: data.title ?? live.title, tab: data.tab ?? null, file: null, isHeldByPerson: false, target: null };
  if (!data.picture) return seen;
  const shot = { seq: fact.seq, url, title: data.title, picture: data.picture, at: fact.at };
  return { ...seen, picture: data.picture, shots: [...live.shots, shot] };
}

// An address that led to a file, while no page was open.
function openedFile({ doing, url, requestedUrl }, fact, { ok, files = [] }) {
  const isOpened = ok && url === null && doing?.action === 'navigate' && files.length > 0;
  return isOpened ? { ...files[0], runId: fact.run_id, url: requestedUrl } : null;
}

function usableTarget(target) {
  const box = target?.box;
  const usable = Array.isArray(box) && box.length === 4 && box.every(Number.isFinite) && box[2] > 0 && box[3] > 0;
  return usable ? { box, name: target.name ?? '', role: target.role ?? '' } : null;
}

const centre = ([x, y, w, h]) => [x + w / 2, y + h / 2];
