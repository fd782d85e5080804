/**
 * Every text that the pages show: one catalogue, so that wording is decided in one place and can be translated later. What
 * only some pages say stands beside it, in texts-account.ts and texts-admin.ts, and is loaded with them.
 */
import type { StageName } from "./logic/stages.ts";

export const texts = {
  title: (page: string, event: string) => (page === "" ? event : `${page} · ${event}`),
  eventFallback: "Berg",

  duration: {
    seconds: (seconds: number | string) => `${seconds} s`,
    minutes: (minutes: number, seconds: string) => `${minutes} min ${seconds} s`,
    days: (days: number, time: string) => `${days}d ${time}`,
  },

  header: {
    skip: "Skip to content",
    navigation: "Main",
    challenges: "Challenges",
    signIn: "Sign in",
    signOut: "Sign out",
    profile: (name: string) => `Your profile, signed in as ${name}`,
    admin: "Instances",
  },

  footer: {
    version: (version: string) => `Berg ${version}`,
    links: "Links of the organiser",
    organisedBy: (organiser: string) => `Organised by ${organiser}`,
  },

  connection: {
    reconnecting: "Reconnecting…",
    restarting: "Berg is restarting. This page continues by itself.",
    database: "Berg cannot reach its database. This page continues by itself.",
    kubernetes: "Berg cannot reach its cluster. This page continues by itself.",
    unreachable: "Berg cannot be reached. Trying again…",
  },

  problems: {
    unreachable: {
      title: "Berg cannot be reached",
      detail: "Check your network connection and try again.",
    },
    restarting: {
      title: "Berg is restarting",
      detail: "Try again in a few seconds.",
    },
    database: {
      title: "Berg cannot reach its database",
      detail: "Nothing is lost, and running instances keep running. Try again in a moment.",
    },
    kubernetes: {
      title: "Berg cannot reach its cluster",
      detail: "Instances cannot be started or stopped right now. Try again in a moment.",
    },
    continues: "This page continues by itself.",
    unknown: (status: number) => ({
      title: "Something went wrong",
      detail: `The server answered with status ${status}. Try again; if it stays like this, tell the organisers.`,
    }),
    retryIn: (seconds: number) => `Try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
    tryAgain: "Try again",
    crashedTitle: "This page has crashed",
    crashedDetail: "That is a bug in Berg. Your instance is not affected. Reload the page to go on.",
    outdatedTitle: "This page could not be loaded",
    outdatedDetail: "Berg has been updated, or cannot be reached. Reload the page to go on.",
    reload: "Reload the page",
  },

  notFound: {
    title: "Page not found",
    detail: "There is nothing at this address.",
    back: "Go to the challenges",
  },

  challenges: {
    title: "Challenges",
    search: "Search",
    searchPlaceholder: "Search by name, tag or author",
    category: "Category",
    allCategories: "All categories",
    uncategorized: "uncategorized",
    difficulty: "Difficulty",
    allDifficulties: "All difficulties",
    count: (shown: number, all: number) =>
      shown === all ? `${all} ${all === 1 ? "challenge" : "challenges"}` : `${shown} of ${all} challenges`,
    loading: "Loading the challenges…",
    emptyTitle: "No challenges yet",
    emptyDetail: "They appear here as soon as the organisers publish them.",
    noMatchTitle: "No challenge matches",
    noMatchDetail: "Try fewer words, or other filters.",
    clear: "Clear search and filters",
    running: { starting: "Starting", running: "Running", stopping: "Stopping", failed: "Failed", none: "" },
  },

  profileNotice: {
    missing: (titles: string) => `Your profile is incomplete: ${titles}.`,
    complete: "Complete your profile",
  },

  organiserPage: { loading: "Loading the page…" },

  competition: {
    startsIn: "The competition starts in",
    startsAt: (time: string) => `on ${time}. The challenges appear here by themselves.`,
    paused: "The competition is paused.",
    pausedUntil: (time: string) => `It goes on at ${time}. Until then, no instance can be started.`,
    pausedOpen: "The organisers have not said when it goes on. Until then, no instance can be started.",
    practice: "The competition is over. You can go on practising.",
    notStarted: "The competition has not started.",
    notStartedDetail: (left: string) => `It starts in ${left}. Then you can start your instance here.`,
    overClosed: "No more instances can be started.",
    over: "The competition is over.",
    overDetail: (time: string) => `It ended on ${time}. Thank you for playing!`,
  },

  challenge: {
    back: "Challenges",
    by: (author: string) => `by ${author}`,
    loading: "Loading the challenge…",
    missingTitle: "No such challenge",
    missingDetail: "It has been withdrawn, has another name, or is not published yet.",
    attachments: "Files",
    connection: "Connection",
    connectionDetail: "All players share this service.",
    flagFormat: "Flag format",
    noDescription: "This challenge has no description.",
  },

  instance: {
    title: "Your instance",
    barLabel: "Your instance",
    timeLeft: "left",
    states: { starting: "starting", running: "running", stopping: "stopping", failed: "failed", none: "" },
    badges: { starting: "Starting", running: "Running", stopping: "Stopping", failed: "Failed", none: "Not started" },
    loading: "Loading your instance…",

    signedOut: "This challenge runs on a server of its own, for each player. Sign in to start yours.",
    howTo: "How to sign in",

    explain:
      "Start your own copy of this challenge. It gets its own address and flag, and stops by itself when its time is up.",
    start: "Start instance",
    startPending: "Starting…",

    otherRunning: (name: string) => `${name} is still running. You can have one instance at a time.`,
    otherStopping: (name: string) => `${name} is being stopped. This one starts as soon as it is gone.`,
    otherFailed: (name: string) => `${name} has failed. Starting this one replaces it.`,
    replace: "Stop it and start this one",
    goToOther: (name: string) => `Go to ${name}`,

    stages: {
      requested: { done: "Requested", current: "Requesting", upcoming: "Request" },
      accepted: { done: "Accepted", current: "Waiting in line", upcoming: "Wait in line" },
      namespace: { done: "Network prepared", current: "Preparing the network", upcoming: "Prepare the network" },
      scheduled: { done: "Server found", current: "Looking for a server", upcoming: "Find a server" },
      "image-pulled": { done: "Image loaded", current: "Loading the image", upcoming: "Load the image" },
      workloads: { done: "Containers created", current: "Creating the containers", upcoming: "Create the containers" },
      ready: { done: "Ready", current: "Waiting until it answers", upcoming: "Ready to connect" },
    } satisfies Record<StageName, Record<"done" | "current" | "upcoming", string>>,
    stageStates: { done: ", done", current: ", in progress", upcoming: ", to come" },
    stagesLabel: "Progress of the start",
    elapsed: (time: string) => `${time} so far`,
    cancel: "Cancel",

    connect: "Connect",
    open: " (opens in a new tab)",
    copy: "Copy",
    copied: "Copied",
    copyLabel: (text: string) => `Copy ${text}`,
    noAddresses: "It runs, but has no address to connect to. Tell the organisers.",

    timeRemaining: "Time left",
    timeUp: "Time is up. It is being stopped.",
    noEnd: "No limit",
    extend: "Extend",
    extendPending: "Extending…",
    renewalsLeft: (left: number) =>
      left === 0
        ? "It cannot be extended."
        : left === 1
          ? "You can extend it once."
          : `You can extend it ${left} times.`,
    endsSoon: "It stops soon",
    endsSoonDetail: (canExtend: boolean) =>
      `What you changed in it will be lost.${canExtend ? " Extend it if you need more time." : ""}`,
    restart: "Restart",
    restartPending: "Restarting…",
    restartTitle: (name: string) => `Restart ${name}?`,
    restartDetail: "What you changed in it is lost. Address, flag and time left stay the same.",
    restartConfirm: "Restart instance",
    restartCancel: "Leave it as it is",
    announceMinutes: (minutes: number) =>
      minutes === 0 ? "The time is up." : `Less than ${minutes === 1 ? "1 minute" : `${minutes} minutes`} left.`,
    announceState: {
      none: "",
      starting: "Your instance is starting.",
      running: "Your instance is running.",
      stopping: "Your instance is being stopped.",
      failed: "Your instance has failed.",
    },

    stop: "Stop",
    stopPending: "Stopping…",
    stopTitle: (name: string) => `Stop ${name}?`,
    stopDetail: "Everything in the instance is lost. If you start it again, it gets a new flag and a new address.",
    stopConfirm: "Stop instance",
    stopCancel: "Keep it running",
    stopping: "It is being stopped. This takes a few seconds.",

    failed: "Your instance has failed",
    failedFallback: "Something went wrong on the server.",
    whatToTry: "What to try",
    tryAgain: "Try again",
    dismiss: "Dismiss",
    dismissPending: "Dismissing…",
    reason: (reason: string) => `Reason: ${reason}`,
  },

  /** What a player can do about a failure, by the `reason` of the instance. */
  advice: {
    temporary: "Try again in a minute. If it happens again, tell the organisers.",
    crowded: "All servers are full at the moment. Try again in a few minutes.",
    broken: "The challenge itself has a fault that you cannot fix. Tell the organisers, and name the reason below.",
    overloaded: "It used more than it is allowed to. Try again, and be gentler with it.",
    busy: "Another instance of yours is still there. Wait until it is gone, then try again.",
  },
} as const;
