import { DropZone, isFileDropItem, Text } from 'react-aria-components';
import controls from './controls.module.css';
import { FileButton } from './file-button.js';

interface Props {
  readonly label: string;
  readonly choose: string;
  readonly help: string;
  /** Media types and endings of names that the browser offers. The API checks the content. */
  readonly accepts: readonly string[];
  readonly takesSeveral?: boolean;
  readonly isPending?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** A place that takes files by drag and drop, or by a choice with the keyboard. */
export function FileDrop({ label, choose, help, accepts, takesSeveral = false, isPending = false, onFiles }: Props) {
  return (
    <DropZone
      className={controls['drop'] ?? ''}
      onDrop={({ items }) => {
        void Promise.all(items.filter(isFileDropItem).map((item) => item.getFile())).then(onFiles);
      }}
    >
      <Text slot="label">{label}</Text>
      <FileButton
        accepts={accepts}
        takesSeveral={takesSeveral}
        isPending={isPending}
        variant="primary"
        onFiles={onFiles}
      >
        {choose}
      </FileButton>
      <p className={controls['help']}>{help}</p>
    </DropZone>
  );
}
