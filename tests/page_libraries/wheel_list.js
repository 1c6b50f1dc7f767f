// BetterScroll: moves its content by a transform when the wheel turns.
import BScroll from "@better-scroll/core";
import MouseWheel from "@better-scroll/mouse-wheel";

BScroll.use(MouseWheel);
const scroller = new BScroll(document.getElementById("list"), { mouseWheel: { easeTime: 50 }, scrollY: true });
scroller.on("scrollEnd", () => hit("at", Math.round(-scroller.y)));
