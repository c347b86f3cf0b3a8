// Search runs in a worker, and browsers refuse workers to pages that are opened as files.
// There, this class runs the worker's script in a hidden frame with the same messages.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.appendChild(this.frame)
      const inside = this.frame.contentWindow
      const receive = data => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      inside.postMessage = data => setTimeout(() => receive(data), 0)
      const script = inside.document.createElement("script")
      script.src = url
      script.onload = () => {
        this.ready = true
        this.waiting.splice(0).forEach(data => this.deliver(data))
      }
      inside.document.head.appendChild(script)
    }
    deliver(data) {
      const inside = this.frame.contentWindow
      inside.dispatchEvent(new inside.MessageEvent("message", { data }))
    }
    postMessage(data) {
      if (this.ready) this.deliver(data)
      else this.waiting.push(data)
    }
    terminate() {
      this.frame.remove()
    }
  }
}
