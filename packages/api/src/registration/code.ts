/** The registration code, which is in a Secret that the Competition names. */
import { isNotFound } from "@berg/apimachinery";
import { type Client, Secrets } from "@berg/kube";
import type { CompetitionSpec } from "@berg/resources";

const timeoutMs = 5_000;

/** Undefined where the Secret or its key is missing, or empty. */
export async function readRegistrationCode(
  client: Client,
  namespace: string,
  { codeSecretRef: ref }: CompetitionSpec["registration"],
): Promise<string | undefined> {
  if (!ref) return undefined;
  try {
    const { data } = await client.get(Secrets, namespace, ref.name, { signal: AbortSignal.timeout(timeoutMs) });
    // Files and `echo` end with a line break, which nobody means.
    return (
      Buffer.from(data?.[ref.key] ?? "", "base64")
        .toString("utf8")
        .trim() || undefined
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
