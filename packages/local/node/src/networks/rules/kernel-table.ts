/** The kernel's table of this node: put in place as a whole, then changed bit by bit, and opened to questions for names. */
import type { Clock } from "@berg/kube";
import { changesOf } from "./changes.ts";
import { applyScript, NftRefusal, removeTable } from "./nft.ts";
import { OpenNft } from "./open-nft.ts";
import type { Rules } from "./rules.ts";
import { closeDns, openDns, type TableSettings, wholeScript } from "./script.ts";

export class KernelTable {
  readonly #settings: TableSettings;
  readonly #nft: OpenNft;

  constructor(settings: TableSettings, clock: Clock) {
    this.#settings = settings;
    this.#nft = new OpenNft(clock);
  }

  /** `before`: what is known to hold now. */
  async put(rules: Rules, before?: Rules): Promise<void> {
    const changes = before && changesOf(before, rules, this.#settings.table);
    if (changes?.length === 0) return;
    try {
      if (changes) return await this.#nft.run(changes);
    } catch {
      // Something else holds than was thought, or no nft stays open here: so all of it.
    }
    await applyScript(wholeScript(rules, this.#settings));
  }

  /** To be called from time to time: pods may ask for names only while this process says so. Whether it is still there. */
  async renew(): Promise<boolean> {
    try {
      await applyScript(`${openDns(this.#settings).join("\n")}\n`);
      return true;
    } catch (error) {
      if (error instanceof NftRefusal) return false;
      throw error;
    }
  }

  /** It stays, for pods that stay; nobody will answer their questions. */
  async leave(): Promise<void> {
    this.#nft[Symbol.dispose]();
    await applyScript(`${closeDns(this.#settings.table).join("\n")}\n`);
  }

  async remove(): Promise<void> {
    await removeTable(this.#settings.table);
  }
}
