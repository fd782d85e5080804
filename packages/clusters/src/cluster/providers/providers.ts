import { aws } from "./aws.ts";
import { azure } from "./azure.ts";
import { gcp } from "./gcp.ts";
import type { Provider } from "./provider.ts";

const providers: readonly Provider[] = [aws, azure, gcp];

export const providerTypes: readonly string[] = providers.map(({ type }) => type);

export function providerOf(type: string): Provider | undefined {
  return providers.find((provider) => provider.type === type);
}
