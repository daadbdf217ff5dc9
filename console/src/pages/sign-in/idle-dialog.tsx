import { Button } from '../../controls/button.js';
import { Dialog } from '../../controls/dialog.js';
import { messages } from '../../messages/messages.js';

const texts = messages.idle;

/** Asks a person who has done nothing for long whether the session of the console shall go on. */
export function IdleDialog({ onStay }: { readonly onStay: () => Promise<void> }) {
  return (
    <Dialog title={texts.title} onClose={() => void onStay()}>
      <p>{texts.text}</p>
      <Button variant="primary" onPress={onStay}>
        {texts.stay}
      </Button>
    </Dialog>
  );
}
