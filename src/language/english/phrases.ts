/** @file Phrases that attacks add to English texts. */
import type { Phrases } from '../../core/language.js';
import { section } from './data-files.js';

const [SENTENCES, INSTRUCTIONS, FILLERS, HASHTAGS] = [
  section('phrases.txt', 'sentences'),
  section('phrases.txt', 'instructions'),
  section('phrases.txt', 'fillers'),
  section('phrases.txt', 'hashtags'),
];
const QUESTIONS = section('phrases.txt', 'questions');
const CONJUNCTIONS = section('phrases.txt', 'conjunctions');
const [SUBJECTS, VERBS, OBJECTS] = [
  section('phrases.txt', 'clause subjects'),
  section('phrases.txt', 'clause verbs'),
  section('phrases.txt', 'clause objects'),
];

export const phrases: Phrases = {
  get sentences() {
    return SENTENCES.words;
  },
  get instructions() {
    return INSTRUCTIONS.words;
  },
  get fillers() {
    return FILLERS.words;
  },
  get hashtags() {
    return HASHTAGS.words;
  },
  get questions() {
    return QUESTIONS.words;
  },
  clause(random, kind) {
    const opening = kind === 'subordinate' ? `${random.pick(CONJUNCTIONS.words)} ` : '';
    const [subject, verb, object] = [SUBJECTS, VERBS, OBJECTS].map(({ words }) => random.pick(words));
    return `${opening}${subject} ${verb} ${object}`;
  },
};
