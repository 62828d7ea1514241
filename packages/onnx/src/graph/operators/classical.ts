/** @file Operators of ai.onnx.ml, which scikit-learn's models are exported to. */
import { each, family } from './operator.js';

export const classicalOperators = family({
  ArrayFeatureExtractor: { moves: { how: 'pick' }, looksUp: 1 },
  ZipMap: { moves: { how: 'reorder' } },
  ...each(['CategoryMapper', 'LabelEncoder', 'OneHotEncoder'], { looksUp: 0 }),
});
