"""Heads of SetFit models as joblib writes them, and their probabilities: python heads.py, with scikit-learn 1.9.1, joblib 1.6.0 and numpy 2.4.6."""

import base64
import io
import json
import os

import joblib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

here = os.path.dirname(os.path.abspath(__file__))
draw = np.random.RandomState(1)
x = draw.randn(60, 4)
two = (x[:, 0] > 0).astype(int)
three = two + (x[:, 1] > 0.3)
several = (x[:, :3] > 0.2).astype(int)
names = np.array(["bad", "fair", "good"])

heads = {
    "two": LogisticRegression().fit(x, two),
    "two-names": LogisticRegression(solver="liblinear").fit(x, names[two]),
    "three": LogisticRegression(C=np.float64(4)).fit(x.astype(np.float32), three),
    "three-objects": LogisticRegression(class_weight="balanced").fit(x, names.astype(object)[three]),
    "shares": OneVsRestClassifier(LogisticRegression()).fit(x, names[three]),
    "one-vs-rest": OneVsRestClassifier(LogisticRegression()).fit(x, several),
    "multi-output": MultiOutputClassifier(LogisticRegression(fit_intercept=False)).fit(x, several),
    "chain": ClassifierChain(LogisticRegression()).fit(x, several),
}

fed = draw.randn(3, 4)
expected = {"embeddings": fed.tolist(), "heads": {}}
for name, head in heads.items():
    file = io.BytesIO()
    joblib.dump(head, file)
    found = head.predict_proba(fed)
    if isinstance(found, list):
        found = np.stack(found, axis=1)[:, :, 1]
    pickled = base64.b64encode(file.getvalue()).decode()
    expected["heads"][name] = {"file": pickled, "probabilities": found.tolist()}
with open(os.path.join(here, "heads.json"), "w") as file:
    json.dump(expected, file)
