/**
 * @file Machine-readable evidence of a card: a CycloneDX 1.6 ML-BOM and an in-toto statement. Both name the model, the data and the tool by
 * their hashes or versions, and neither is signed.
 */
import { createHash } from 'node:crypto';
import type { GuardCard, Rate, Renderer, StandingCard } from '../src/plugin.js';
import { json } from './json.js';
import { cardEvidence } from './taxonomy.js';

type AnyCard = StandingCard | GuardCard;

/** Type of the statement's predicate. */
const PREDICATE_TYPE = 'urn:robust-text:card:1';

const NOT_SIGNED =
  'Not signed. Sign it, for example with cosign attest-blob, before others rely on it. The hash of a model is that of robust: over the files of a folder, or over the facts of an endpoint.';

interface CardFigure {
  readonly name: string;
  readonly rate: Rate;
  /** An attack, a threat model or a data set. */
  readonly slice?: string;
}

function figuresOf(card: AnyCard): CardFigure[] {
  if (!('kind' in card)) {
    return [
      { name: 'accuracy', rate: card.originalAccuracy },
      { name: 'worst-case accuracy', rate: card.worstCaseAccuracy },
      ...card.threatModels.map(({ name, worstCaseAccuracy: rate }) => ({
        name: 'worst-case accuracy',
        rate,
        slice: name,
      })),
    ];
  }
  const { shielded, overDefence = [] } = card;
  return [
    { name: 'recall', rate: card.recall },
    { name: 'false positive rate', rate: card.falsePositiveRate },
    { name: 'recall under attack', rate: card.recallUnderAttack },
    ...card.attacks.map(({ name, recallUnderAttack: rate }) => ({ name: 'recall under attack', rate, slice: name })),
    ...(shielded === undefined ? [] : [{ name: 'recall under attack, shielded', rate: shielded.recallUnderAttack }]),
    ...overDefence.map(({ data, falsePositiveRate: rate }) => ({
      name: 'false positive rate',
      rate,
      slice: data.name,
    })),
  ];
}

/** The entries of catalogues; cards of the suite standard do not hold theirs. */
function evidenceOf(card: AnyCard) {
  if ('kind' in card) return card.evidenceToward;
  return cardEvidence(
    card.threatModels.map(({ name }) => ({ name: `standard-${name}`, suite: 'standard' })),
    'classifier',
  );
}

const suiteOf = (card: AnyCard): string => ('kind' in card ? card.suite : card.standard);

/** A UUID of version 8 (RFC 9562) from a hash of the card, so that the same card has the same serial number. */
function serialNumber(card: AnyCard): string {
  const hex = createHash('sha256').update(JSON.stringify(card)).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4];
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const sha256 = (content: string) => ({ alg: 'SHA-256', content });

/** The card as a CycloneDX 1.6 ML-BOM. */
function mlBom(card: AnyCard) {
  const { model, data } = card;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(card),
    version: 1,
    metadata: {
      tools: { components: [{ type: 'application', name: 'robust-text', version: card.toolVersion }] },
      component: { type: 'machine-learning-model', 'bom-ref': 'model', name: model.name },
      properties: [
        { name: 'robust:run', value: card.run },
        { name: 'robust:command', value: card.replay },
        { name: 'robust:suite', value: suiteOf(card) },
        { name: 'robust:seed', value: String(card.seed) },
        { name: 'robust:examples-sha256', value: data.examplesSha256 },
        { name: 'robust:verdict', value: card.verdict },
        { name: 'robust:signature', value: NOT_SIGNED },
        ...evidenceOf(card).map(({ id, title, catalogue }) => ({
          name: 'robust:evidence-toward',
          value: `${id} ${title} (${catalogue})`,
        })),
      ],
    },
    components: [
      {
        type: 'machine-learning-model',
        'bom-ref': 'tested-model',
        name: model.name,
        hashes: [sha256(model.sha256)],
        modelCard: {
          modelParameters: { task: 'text-classification', datasets: [{ ref: 'test-data' }] },
          quantitativeAnalysis: {
            performanceMetrics: figuresOf(card).flatMap(({ name, rate: { value, low, high }, slice }) =>
              value === null
                ? []
                : [
                    {
                      type: name,
                      value: String(value),
                      ...(slice !== undefined && { slice }),
                      ...(low !== null &&
                        high !== null && {
                          confidenceInterval: { lowerBound: String(low), upperBound: String(high) },
                        }),
                    },
                  ],
            ),
          },
        },
      },
      {
        type: 'data',
        'bom-ref': 'test-data',
        name: data.name,
        hashes: [sha256(data.sha256)],
        data: [{ type: 'dataset', name: data.name }],
      },
    ],
  };
}

/** The card as an in-toto statement v1 about the model. */
function statement(card: AnyCard) {
  const { model, data } = card;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: model.name, digest: { sha256: model.sha256 } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      notice: NOT_SIGNED,
      tool: { name: 'robust-text', version: card.toolVersion },
      data: { name: data.name, digest: { sha256: data.sha256 }, examplesSha256: data.examplesSha256 },
      suite: suiteOf(card),
      seed: card.seed,
      run: card.run,
      command: card.replay,
      verdict: card.verdict,
      reasons: card.reasons,
      figures: figuresOf(card).map(({ rate, ...figure }) => ({ ...figure, ...rate })),
      evidenceToward: evidenceOf(card),
    },
  };
}

const rendered = (name: string, extension: string, of: (card: AnyCard) => unknown): Renderer<AnyCard> => ({
  name,
  extension,
  *render(card) {
    yield `${json(of(card))}\n`;
  },
});

/** Formats of evidence for `robust card -o`. */
export const evidenceFormats: readonly Renderer<AnyCard>[] = [
  rendered('cyclonedx', 'cdx.json', mlBom),
  rendered('in-toto', 'intoto.json', statement),
];
