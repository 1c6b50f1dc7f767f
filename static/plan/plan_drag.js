// Moves plan items by their handle, with mouse or finger. The held item follows the pointer at once; Escape
// restores its position.

export function dragging(root, change) {
  let held = null; // { id, from, pointer }
  const rows = () => [...root.querySelectorAll('.plan-row-edit')];
  const placeAt = (y) => rows().filter((row) => row.dataset.id !== held.id).filter((row) => { const { top, height } = row.getBoundingClientRect(); return y > top + height / 2; }).length;
  const place = () => rows().findIndex((row) => row.dataset.id === held.id);
  const move = (event) => {
    if (event.pointerId !== held?.pointer) return;
    event.preventDefault();
    const to = placeAt(event.clientY);
    if (to !== place()) change('moveTo', [held.id, to]);
  };
  const end = (event) => {
    if (event.type === 'keydown' ? event.key !== 'Escape' : event.pointerId !== held?.pointer) return;
    if (event.type !== 'pointerup') change('moveTo', [held.id, held.from]);
    if (event.type === 'keydown') { event.preventDefault(); event.stopPropagation(); }
    listen('removeEventListener');
    delete root.dataset.held;
    held = null;
  };
  const listen = (how) => {
    window[how]('pointermove', move);
    for (const type of ['pointerup', 'pointercancel']) window[how](type, end);
    window[how]('keydown', end, true);
  };
  root.addEventListener('pointerdown', (event) => {
    const row = event.button === 0 && event.target.closest?.('[data-grip]') ? event.target.closest('.plan-row-edit') : null;
    if (!row || held || root.querySelector('textarea:disabled')) return;
    event.preventDefault();
    held = { id: row.dataset.id, from: rows().indexOf(row), pointer: event.pointerId };
    root.dataset.held = '';
    listen('addEventListener');
  });
  root.addEventListener('touchstart', (event) => event.target.closest?.('[data-grip]') && event.preventDefault(), { passive: false });
}
