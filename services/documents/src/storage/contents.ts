import { GridFSBucket } from 'mongodb';
import type { Db, GridFSFile } from 'mongodb';
import type { ContentStore } from '../application/uploads.js';

/**
 * Size of one piece of an uploaded file in the database. A process keeps one piece of each file in memory while it
 * stores or sends the file.
 */
const PIECE_BYTES = 512 * 1024;

/** Stores uploaded files as pieces in MongoDB (GridFS) under ids that the documents service chooses. */
export function contentStore(db: Db, bucketName: string): ContentStore {
  const bucket = new GridFSBucket(db, { bucketName, chunkSizeBytes: PIECE_BYTES });
  const files = db.collection<{ _id: string }>(`${bucketName}.files`);
  const pieces = db.collection<{ files_id: string }>(`${bucketName}.chunks`);
  // The MongoDB driver types file ids as ObjectId, but the format allows any id.
  const idOf = (fileId: string): GridFSFile['_id'] => fileId as unknown as GridFSFile['_id'];
  return {
    async write(fileId, chunks) {
      const file = bucket.openUploadStreamWithId(idOf(fileId), fileId);
      // Failures of an upload to GridFS reject its promises. The listener only prevents an error event without a
      // listener from terminating the process.
      file.on('error', () => {});
      // The chunks of an uploaded file are written one by one and not by a stream pipeline: if the sender fails, no
      // chunk may be stored after the file was deleted.
      for await (const chunk of chunks) await settled((done) => file.write(chunk, done));
      await settled((done) => file.end(done));
    },
    read(fileId, range) {
      const options = range === undefined ? {} : { start: range.first, end: range.last + 1 };
      return bucket.openDownloadStream(idOf(fileId), options) as AsyncIterable<Uint8Array>;
    },
    async delete(fileId) {
      // The record of the file is deleted directly, because the delete function of the MongoDB driver fails for a
      // GridFS file whose upload was not completed.
      await files.deleteOne({ _id: fileId });
      await pieces.deleteMany({ files_id: fileId });
    },
  };
}

function settled(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
