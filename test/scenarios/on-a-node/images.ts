/** What the containers of these scenarios run. */
import { busyboxImage } from "../../node/image/busybox.ts";

/** Answers with its own name, at the port that its environment says. */
const whoAmI = {
  command: ["sh", "-c", "mkdir /tmp/www; hostname >/tmp/www/index.html; exec httpd -f -p $PORT -h /tmp/www"],
  env: ["PORT=8080"],
};

const frail =
  "httpd -p 8080; while sleep 0.1; do if [ -e /tmp/end ]; then exit 42; fi; if [ -e /tmp/eat ]; then exec tail /dev/zero; fi; done";

// The same as the kubelet and containerd are held against in test/node: bounded by the limits of the pod.
const greedy =
  "dd if=/dev/zero of=/tmp/full bs=1M count=100 & (bomb() { bomb | bomb & bomb; }; bomb) & exec sleep 1000";

const player = "1000:1000";

export const images = [
  busyboxImage({ name: "berg.test/root:1", ...whoAmI }),
  busyboxImage({ name: "berg.test/player:1", ...whoAmI, user: player }),
  busyboxImage({ name: "berg.test/frail:1", command: ["sh", "-c", frail], user: player }),
  busyboxImage({ name: "berg.test/greedy:1", command: ["sh", "-c", greedy], user: player }),
  busyboxImage({ name: "berg.test/without-program:1", command: ["/nowhere"] }),
  // Of docs/examples/web-and-database.yaml.
  busyboxImage({
    name: "berg.test/guestbook/web:1.2",
    command: ["httpd", "-f", "-p", "8080", "-h", "/srv"],
    files: { "/srv/healthz": { content: "well\n" } },
  }),
  busyboxImage({
    name: "berg.test/guestbook/database:1.2",
    command: ["httpd", "-f", "-p", "5432", "-h", "/srv"],
    files: {
      "/srv/index.html": { content: "all guests\n" },
      "/bin/pg_isready": { content: "#!/bin/sh\nexec wget -qO- http://127.0.0.1:5432\n", mode: 0o755 },
    },
  }),
];
