export { missingControlPlane, provideBinaries } from "./control-plane/binaries.ts";
export * from "./control-plane/control-plane.ts";
export { type CiliumVerdict, ciliumVerdicts } from "./foreign-crds/cilium-check.ts";
export { type ForeignCrd, missingForeignCrds } from "./foreign-crds/crd-files.ts";
export { type InstallOptions, installForeignCrds } from "./foreign-crds/install.ts";
export { busyboxImage } from "./node/image/busybox.ts";
export { missingNode } from "./node/missing.ts";
export * from "./node/node.ts";
