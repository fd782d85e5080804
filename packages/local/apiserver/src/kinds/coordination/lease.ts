/** Leases: who leads, and until when that is believed. */
import { type FieldError, invalid } from "../../errors/field-error.ts";
import { builtIn } from "../built-in.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, int32, kept, microTime, object, text } from "../shapes.ts";

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

export const leases = builtIn({
  group: "coordination.k8s.io",
  resource: "leases",
  kind: "Lease",
  schema: object({
    spec: always(
      object({
        holderIdentity: kept(text()),
        leaseDurationSeconds: kept(int32()),
        acquireTime: microTime(),
        renewTime: microTime(),
        leaseTransitions: kept(int32()),
        strategy: kept(text()),
        preferredHolder: kept(text()),
      }),
    ),
  }),
  columns: [nameColumn, column("Holder", "Who holds it.", (object) => specOf(object).holderIdentity ?? ""), ageColumn],
  strategy: {
    createsOnUpdate: true,
    needsVersion: true,
    prepare(draft) {
      // For candidates that are chosen among by the server, which is off in Kubernetes, too, unless asked for.
      delete specOf(draft).strategy;
      delete specOf(draft).preferredHolder;
    },
    validate: (object) => specErrors(specOf(object)),
  },
});

function specOf(object: unknown): LeaseSpec {
  return (object as { spec: LeaseSpec }).spec;
}

function specErrors({ leaseDurationSeconds, leaseTransitions }: LeaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
  if (leaseTransitions !== undefined && leaseTransitions < 0)
    errors.push(invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"));
  return errors;
}
