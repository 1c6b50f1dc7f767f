// Controls of the wrapper, which only the service gets: as a message to the console of a debugger that the page cannot
// read. `release` replies 0 if the message has gone with its channel.

console.debug(TOKEN, {
  __proto__: null,
  release: (number) => settle(number, RELEASED),
  drop: (number) => settle(number, DROPPED),
});
