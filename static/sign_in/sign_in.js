// Adds the part after # to the form, which browsers do not send, so that signing in returns to the same place.
const next = document.querySelector('[name="next"]');
if (next && location.hash && !next.value.includes('#')) next.value += location.hash;
