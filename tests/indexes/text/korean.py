"""Korean questions about the papers in `../shared/seeds`, each with words of the passage wanted.

Particles and spacing differ from the papers', as they do between any two writers of Korean.
"""

from __future__ import annotations

from typing import Final

QUESTIONS: Final = {
    "질문마다 언어모델은 몇 번이나 호출되나?": "38.53회",
    "정점의 차수분포는 멱법칙인가?": "멱법칙",
    "분류기의 학습률과 실험환경은?": "RTX 3090",
    "손실함수로는 무엇을 쓰는가?": "이진 크로스 엔트로피",
    "데이터셋의 질의는 총 몇개이며 증거는 몇 문서에 있나?": "2,556",
    "하위질의가 갖추어야 할 조건은?": "중복되지 않고 독립적",
    "가지치기되는 분기는 어떤 것인가?": "평가 점수가 낮은 분기",
    "팟캐스트에서 나온 대화전사본은 청크가 몇개인가?": "1,669",
    "뉴스기사가 발행된 기간은?": "2013년 9월",
    "데이터셋마다 테스트질문을 몇개씩 생성했나?": "125개",
    "말뭉치에서 청크는 몇 토큰인가?": "100토큰 단위",
    "장기기억의 어떤 이론에서 영감이 왔나?": "해마 색인 이론",
}
