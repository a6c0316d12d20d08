// Elements onto which files of the computer are dropped.

import { useSignal } from "@preact/signals";

/** Whether files of the computer are dragged. */
export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}

/** Returns the state and the listeners of an element that takes what `accepts` says, files by default. */
export function useFileDrop(onFiles: (dropped: DataTransfer) => void, accepts: (event: DragEvent) => boolean = hasFiles) {
  const isOver = useSignal(false);
  const listeners = {
    onDragOver: (event: DragEvent) => {
      if (!accepts(event)) return;
      event.preventDefault();
      isOver.value = true;
    },
    onDragLeave: () => (isOver.value = false),
    onDrop: (event: DragEvent) => {
      if (!accepts(event)) return;
      event.preventDefault();
      // They are for this element, not for the screen behind it.
      event.stopPropagation();
      isOver.value = false;
      if (event.dataTransfer) onFiles(event.dataTransfer);
    },
  };
  return { isOver: isOver.value, listeners };
}
