// Search runs in a worker, which browsers do not start for pages of the file system. There it
// runs in a hidden frame with the same interface.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) =>
        this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (url) => new Promise((loaded, failed) => {
        const script = frame.contentDocument.createElement("script");
        Object.assign(script, { src: url, onload: loaded, onerror: failed });
        frame.contentDocument.body.append(script);
      });
      this.inner.importScripts = (...urls) =>
        urls.reduce((before, url) => before.then(() => load(url)), Promise.resolve());
      this.ready = load(url);
    }
    postMessage(data) {
      this.ready.then(() =>
        this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
