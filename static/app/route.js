// Routes of the page by URL hash.

const HOME = { route: 'welcome' };

/** '#/agents/echo/run' -> { route: 'form', name: 'echo' } */
export function routeOf(hash) {
  const [page, ...rest] = hash.replace(/^#?\/?/, '').split('/').map(plain);
  const [first, second, third] = rest;
  switch (page) {
    case 'runs': return first ? runOf(first, second, third) : HOME;
    case 'inside': return first ? { route: 'inside', id: first } : HOME;
    case 'compare': return first && second ? { route: 'compare', id: first, other: second } : HOME;
    case 'agents': return first ? { route: second === 'run' ? 'form' : 'editor', name: first } : { route: 'agents' };
    case 'permissions': return { route: 'permissions' };
    case 'browsers': return { route: 'browsers' };
    case 'model': return { route: 'model' };
    default: return HOME;
  }
}

/** Route of a task, one of its children, or one of its questions. */
const runOf = (id, second, third) => (second === 'question' && third ? { route: 'run', id, child: null, question: third } : { route: 'run', id, child: second || null, question: null });

function plain(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // invalid encoding: such a run will not be found
  }
}
