import { type ComponentType, createElement, lazy } from "react";

/**
 * A page that is loaded when it is first opened, or before, by `preload`. React's lazy() shows the fallback even for a module
 * that is there already; this one does not, so that nothing flickers after a preload.
 */
export function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    loaded = await load();
    return { default: loaded };
  };
  const onDemand = lazy(preload) as unknown as ComponentType<Props>;
  const render = (props: Props) => createElement(loaded ?? onDemand, props);
  // A failure shows when the page is opened.
  return Object.assign(render, { preload: () => void preload().catch(() => {}) });
}
