// Browsers start no workers in pages that are opened as files. There the search's worker runs in a hidden frame.
// The worker finds its own address by the name IFrameWorker in the window around it.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      this.ready = new Promise((resolve) => {
        const script = inner.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        inner.document.body.append(script);
      });
      this.frame = frame;
    }

    postMessage(data) {
      const { contentWindow } = this.frame;
      this.ready.then(() => contentWindow.dispatchEvent(new contentWindow.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
