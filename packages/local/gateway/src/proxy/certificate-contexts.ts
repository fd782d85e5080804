/** What TLS needs to show a certificate, kept, since making it costs more than a handshake. */
import { createSecureContext, type SecureContext } from "node:tls";
import type { Certificate } from "../routing/table.ts";

/** PEM. */
export interface CertificatePair {
  cert: string;
  key: string;
}

/** Makes a certificate for a hostname, which may be a wildcard. */
export type CertificateFor = (hostname: string) => CertificatePair | Promise<CertificatePair>;

/** Whoever asks for many names must not fill the memory. */
const mostKept = 1_000;

export class CertificateContexts {
  readonly #certificateFor: CertificateFor | undefined;
  readonly #issued = new Map<string, Promise<SecureContext>>();
  readonly #fromSecrets = new WeakMap<Certificate, SecureContext>();

  constructor(certificateFor: CertificateFor | undefined) {
    this.#certificateFor = certificateFor;
  }

  async get(certificate: Certificate, hostname: string): Promise<SecureContext> {
    return certificate.from === "secret" ? this.#fromSecret(certificate) : this.#issue(hostname);
  }

  #fromSecret(certificate: Extract<Certificate, { from: "secret" }>): SecureContext {
    const known = this.#fromSecrets.get(certificate);
    if (known) return known;
    const { cert, key } = certificate;
    const context = createSecureContext({ cert, key });
    this.#fromSecrets.set(certificate, context);
    return context;
  }

  #issue(hostname: string): Promise<SecureContext> {
    const known = this.#issued.get(hostname);
    if (known !== undefined) return known;
    const made = this.#make(hostname);
    this.#issued.set(hostname, made);
    // The next one may have more luck.
    made.catch(() => this.#issued.delete(hostname));
    const [oldest] = this.#issued.keys();
    if (this.#issued.size > mostKept && oldest !== undefined) this.#issued.delete(oldest);
    return made;
  }

  async #make(hostname: string): Promise<SecureContext> {
    if (!this.#certificateFor) throw new Error("no certificates are made here");
    const { cert, key } = await this.#certificateFor(hostname);
    return createSecureContext({ cert, key });
  }
}
