import { DropZone, FileTrigger, isFileDropItem, Text } from 'react-aria-components';
import { Button } from './button.js';
import controls from './controls.module.css';

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
      <FileTrigger
        acceptedFileTypes={accepts}
        allowsMultiple={takesSeveral}
        onSelect={(list) => onFiles([...(list ?? [])])}
      >
        <Button variant="primary" isPending={isPending}>
          {choose}
        </Button>
      </FileTrigger>
      <p className={controls['help']}>{help}</p>
    </DropZone>
  );
}
