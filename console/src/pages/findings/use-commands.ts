import { useEffect } from 'react';
import { commandOf } from '../../keymap.js';
import type { Command } from '../../keymap.js';

/** Calls the handler for each key of the keymap that is pressed outside of fields and dialogs. */
export function useCommands(handle: (command: Command) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isTyping =
        document.querySelector('[role=dialog]') !== null ||
        (event.target instanceof Element &&
          event.target.closest('input:not([type=checkbox]), textarea, select') !== null);
      const command = commandOf(event, isTyping);
      if (command !== undefined) handle(command);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}
