/** How far the download of a file is, or of several at once; all in bytes. */
export interface Download {
  /** As the repository names it: `onnx/model.onnx`; of several at once how many: `3 files`. */
  readonly file: string;
  readonly done: number;
  readonly total: number;
  /** The part of `done` that an earlier, broken download had left. */
  readonly resumed: number;
  /** Since this download began. */
  readonly seconds: number;
}

export interface HubOptions {
  /** The Hub's address, or a mirror's. @default 'https://huggingface.co' */
  readonly endpoint?: string;
  /** Required for private and gated repositories. Sent to the endpoint only. */
  readonly token?: string | undefined;
  /** Folder that holds the cache which the Hub's libraries share. @default ~/.cache/huggingface/hub */
  readonly cache?: string;
  /** Never touch the network; what the cache lacks is an error. @default false */
  readonly offline?: boolean;
  /** Seconds without a byte after which a request is given up and sent again. @default 10; more than 0 */
  readonly timeout?: number;
  /** Milliseconds before a failed request is sent again the first time; doubles each time. @default 500; minimum 0 */
  readonly pause?: number;
  readonly onDownload?: (download: Download) => void;
}
