// Plain JavaScript, since it has to run on the Node that it complains about.
const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  process.stderr.write(
    `Berg needs Node 24 or newer, and this is ${process.version}. On Linux with glibc, npm ci installs it for you ` +
      "(do not omit optional dependencies); elsewhere install it from your system.\n",
  );
  process.exit(1);
}
