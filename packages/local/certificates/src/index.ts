/** Certificates of a CA of one's own, made without a program or a file. */
export {
  issueCertificate,
  type KeyAndCertificate,
  makeCa,
  type Subject,
  subjectOf,
  type Wanted,
} from "./certificate.ts";
