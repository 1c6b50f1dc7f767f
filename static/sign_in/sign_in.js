// A browser does not send what stands after #: the form takes it along, so that one comes back to the same place.
const next = document.querySelector('[name="next"]');
if (next && location.hash && !next.value.includes('#')) next.value += location.hash;
