"""Writes Arrow files as datasets, pandas and pyarrow do: python arrow-goldens.py FOLDER (datasets 5.0, pyarrow 25, pandas 3.0)."""
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
from datasets import ClassLabel, Dataset, DatasetDict, Features, Value

folder = sys.argv[1]
rows = {
    "text": ["good film", "café 😀", "bad film", "", "dull"],
    "label": [1, 1, 0, 0, 0],
}

features = Features({"text": Value("string"), "label": ClassLabel(names=["negative", "positive"])})
data = Dataset.from_dict(rows, features=features)
data.save_to_disk(f"{folder}/saved", num_shards=2)
DatasetDict({"train": data, "test": data.select([3, 2])}).save_to_disk(f"{folder}/splits")

# Texts beyond the blocks of LZ4 (64 KiB), which refer to earlier ones.
long = pd.DataFrame({"text": [f"{text} " * 9000 + str(n) for n, text in enumerate(rows["text"])], "label": rows["label"]})
long.to_feather(f"{folder}/lz4.feather", compression="lz4")
frame = pd.DataFrame({"text": rows["text"], "label": ["positive" if n else "negative" for n in rows["label"]]})
frame.to_feather(f"{folder}/zstd.feather", compression="zstd")
frame.assign(label=frame["label"].astype("category")).to_feather(f"{folder}/category.feather")

table = pa.table(
    {
        "text": pa.array(rows["text"], pa.string_view()),
        "labels": pa.array([["a", "b"], [], ["b"], None, ["a"]], pa.list_(pa.string())),
        "toxic": pa.array([True, False, True, False, True]),
        "scores": pa.array([[1.0, 0.0]] * 5, pa.list_(pa.float32())),
    }
)
with pa.ipc.new_file(f"{folder}/lists.arrow", table.schema) as file:
    file.write_table(table, max_chunksize=2)
feather.write_feather(pa.table({"text": rows["text"]}), f"{folder}/version1.feather", version=1)
