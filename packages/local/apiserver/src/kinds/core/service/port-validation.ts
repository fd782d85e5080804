/** The rules for one port of a Service. */
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../errors/field-error.ts";
import { labelProblems, qualifiedNameProblems } from "../../../schema/metadata/names.ts";
import { portNameProblems, portNumberProblems } from "../../checks/names.ts";
import type { ServicePort, ServiceSpec } from "./shape.ts";

export const protocols = ["SCTP", "TCP", "UDP"];

export function portErrors({ ports = [] }: ServiceSpec): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => errorsIn(port, `spec.ports[${i}]`, ports.length > 1, names));
}

function errorsIn(port: ServicePort, at: string, needsName: boolean, names: Set<string>): FieldError[] {
  const { name = "", protocol, targetPort, appProtocol } = port;
  const errors: FieldError[] = [];
  if (name !== "") {
    errors.push(...labelProblems(name).map((problem) => invalid(`${at}.name`, name, problem)));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  } else if (needsName) errors.push(required(`${at}.name`));
  errors.push(...portNumberProblems(port.port).map((problem) => invalid(`${at}.port`, port.port, problem)));
  if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  const target = typeof targetPort === "string" ? portNameProblems(targetPort) : portNumberProblems(targetPort);
  errors.push(...target.map((problem) => invalid(`${at}.targetPort`, targetPort, problem)));
  if (appProtocol !== undefined)
    errors.push(
      ...qualifiedNameProblems(appProtocol).map((problem) => invalid(`${at}.appProtocol`, appProtocol, problem)),
    );
  return errors;
}
