// xterm.js: a shell that echoes, one drawn by a canvas, one that takes keys by itself. The address chooses.
import { Terminal } from "@xterm/xterm";

const kind = location.search.slice(1) || "shell";
const terminal = new Terminal({ cols: 60, rows: 12, screenReaderMode: kind === "reader", disableStdin: kind === "log" });
terminal.open(document.getElementById("terminal"));
window.terminal = terminal;
const prompt = () => terminal.write("\r\n$ ");
let line = "";
terminal.write(kind === "log" ? "Build started\r\nStep 1 of 2 done" : "Welcome to the shell\r\n$ ");
if (kind === "log") setTimeout(() => terminal.write("\r\nStep 2 of 2 done"), 200);
terminal.onData((data) => {
  for (const letter of data) {
    if (letter === "\r") {
      hit("ran", line);
      terminal.write(line === "date" ? "\r\nMonday" : line === "many" ? `\r\n${Array.from({ length: 30 }, (_, at) => `row ${at + 1}`).join("\r\n")}` : `\r\nnot found: ${line}`);
      line = "";
      prompt();
    } else if (letter === "\u007f") {
      line = line.slice(0, -1);
      terminal.write("\b \b");
    } else {
      line += letter;
      terminal.write(letter);
    }
  }
});
