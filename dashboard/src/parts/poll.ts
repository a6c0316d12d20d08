// Repeated requests while the page is visible.

import { useEffect, useRef } from "preact/hooks";

/**
 * Runs a task again and again, each time `ms` after the last one ended, while it is active and the page is visible.
 * After a failure it runs again.
 */
export function usePoll(task: () => Promise<void>, ms: number, isActive = true): void {
  const latest = useRef(task);
  latest.current = task;

  useEffect(() => {
    if (!isActive) return;
    let isOver = false;
    let timer = 0;
    const schedule = () => (timer = window.setTimeout(run, ms));
    const run = async () => {
      if (!document.hidden) await latest.current().catch(() => {});
      if (!isOver) schedule();
    };

    schedule();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isActive, ms]);
}
