/** @file Names of the files of an encoder of sentence-transformers, and of the head that SetFit fits to its embeddings. */

export const MODULES_FILE = 'modules.json';
/** Settings of the encoder: "max_seq_length". */
export const ENCODER_FILE = 'sentence_bert_config.json';
/** Prompts: a text is put into the default one. */
export const PROMPTS_FILE = 'config_sentence_transformers.json';
export const SETFIT_CONFIG = 'config_setfit.json';
/** A classifier of scikit-learn, written by joblib. */
export const PICKLED_HEAD = 'model_head.pkl';

/** Files of a SetFit model beside its encoder. */
export const SETFIT_FILES: readonly string[] = [SETFIT_CONFIG, PICKLED_HEAD];

/** Whether a folder or repository holds a SetFit model. `has` says whether a file is there. */
export const isSetFit = (has: (name: string) => boolean): boolean => has(MODULES_FILE) && SETFIT_FILES.some(has);
