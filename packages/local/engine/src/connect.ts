/** The client of an engine at a socket: each method of the contract, from the file that knows how. */
import { type Clock, systemClock } from "@berg/kube";
import { buildImage } from "./build.ts";
import * as containers from "./containers.ts";
import type { Engine } from "./engine.ts";
import { containerEvents, networkEvents } from "./events.ts";
import { exec } from "./exec.ts";
import * as images from "./images.ts";
import { containerLogs } from "./logs.ts";
import * as members from "./network-members.ts";
import * as networks from "./networks.ts";
import { Session } from "./session.ts";

/** Nothing is asked yet: the first call tells whether the engine is there. `connectEngine("/run/docker.sock")` */
export function connectEngine(socketPath: string, options: { clock?: Clock } = {}): Engine {
  const session = new Session(socketPath, options.clock ?? systemClock);
  return {
    info: (signal) => session.info(signal),

    inspectImage: (name, signal) => images.inspectImage(session, name, signal),
    pullImage: (name, pull, signal) => images.pullImage(session, name, pull, signal),
    loadImage: (archive, signal) => images.loadImage(session, archive, signal),
    listImages: (labels, signal) => images.listImages(session, labels, signal),
    removeImage: (name, signal) => images.removeImage(session, name, signal),
    buildImage: (name, build, signal) => buildImage(session, name, build, signal),

    createNetwork: (network, signal) => networks.createNetwork(session, network, signal),
    inspectNetwork: (name, signal) => networks.inspectNetwork(session, name, signal),
    listNetworks: (labels, signal) => networks.listNetworks(session, labels, signal),
    removeNetwork: (name, signal) => networks.removeNetwork(session, name, signal),
    listNetworkContainers: (name, signal) => members.listNetworkContainers(session, name, signal),
    connectNetwork: (name, id, how, signal) => members.connectNetwork(session, name, id, how, signal),
    disconnectNetwork: (name, id, signal) => members.disconnectNetwork(session, name, id, signal),

    createContainer: (name, body, signal) => containers.createContainer(session, name, body, signal),
    startContainer: (id, signal) => containers.startContainer(session, id, signal),
    inspectContainer: (id, signal) => containers.inspectContainer(session, id, signal),
    containerSize: (id, signal) => containers.containerSize(session, id, signal),
    listContainers: (labels, signal) => containers.listContainers(session, labels, signal),
    stopContainer: (id, graceSeconds, signal) => containers.stopContainer(session, id, graceSeconds, signal),
    killContainer: (id, signalName, signal) => containers.killContainer(session, id, signalName, signal),
    removeContainer: (id, signal) => containers.removeContainer(session, id, signal),

    containerLogs: (id, log, signal) => containerLogs(session, id, log, signal),
    exec: (id, command, signal) => exec(session, id, command, signal),
    events: (labels, signal) => containerEvents(session, labels, signal),
    networkEvents: (signal) => networkEvents(session, signal),
  };
}
